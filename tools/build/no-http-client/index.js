const refuse = () => {
  throw new Error('the OIDC client of @actions/core is left out of this action');
};
export const HttpClient = refuse;
export const BearerCredentialHandler = refuse;
