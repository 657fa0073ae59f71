import {
  authSettingNames,
  createDataApi,
  deleteDataApi,
  disableAuth,
  enableAuth,
  getAuth,
  getAuthSetting,
  getDataApi,
  updateDataApi,
} from './branches/addons.ts';
import {
  anonymizedStatus,
  createAnonymizedBranch,
  getMaskingRules,
  startAnonymization,
  updateMaskingRules,
} from './branches/anonymize.ts';
import { createBranch } from './branches/create.ts';
import { deleteBranch } from './branches/delete.ts';
import { countBranches, getBranch, listBranches } from './branches/read.ts';
import { recoverBranch } from './branches/recover.ts';
import { restoreBranch } from './branches/restore.ts';
import { compareSchemas, getSchema } from './branches/schema.ts';
import { setDefaultBranch, updateBranch } from './branches/update.ts';
import { type Route, route } from './http/router.ts';
import {
  authDetails,
  createKey,
  currentUser,
  getOrganization,
  listKeys,
  listMembers,
  organizations,
  regions,
  revokeKey,
} from './objects/account.ts';
import { getConnectionUri } from './objects/connection-uri.ts';
import { createCredential, listCredentials, revokeCredential } from './objects/credentials.ts';
import { createDatabase, deleteDatabase, getDatabase, listDatabases, updateDatabase } from './objects/databases.ts';
import {
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listBranchEndpoints,
  listEndpoints,
  restartEndpoint,
  startEndpoint,
  suspendEndpoint,
  updateEndpoint,
} from './objects/endpoints.ts';
import { noneInBranch, noneInOrganization, noneInProject } from './objects/none.ts';
import { getOperation, listOperations } from './objects/operations.ts';
import {
  createProject,
  deleteProject,
  getProject,
  listProjects,
  recoverProject,
  sharedProjects,
  updateProject,
} from './objects/projects.ts';
import { createRole, deleteRole, getRole, listRoles, resetPassword, revealPassword } from './objects/roles.ts';
import {
  createSnapshot,
  deleteSnapshot,
  finalizeRestore,
  getSchedule,
  listSnapshots,
  restoreSnapshot,
  setSchedule,
  updateSnapshot,
} from './objects/snapshots.ts';

const ORGANIZATION = '/organizations/{org_id}';
const PROJECT = '/projects/{project_id}';
const BRANCH = `${PROJECT}/branches/{branch_id}`;
const ENDPOINT = `${PROJECT}/endpoints/{endpoint_id}`;
const ROLE = `${BRANCH}/roles/{role_name}`;
const DATA_API = `${BRANCH}/data-api/{database_name}`;
const SNAPSHOT = `${PROJECT}/snapshots/{snapshot_id}`;
const DATABASE = `${BRANCH}/databases/{database_name}`;

/** Path templates as in the published description. */
export const routes: Route[] = [
  route('GET', '/users/me', currentUser),
  route('GET', '/users/me/organizations', organizations),
  route('GET', '/auth', authDetails),
  route('GET', '/regions', regions),
  route('GET', '/api_keys', listKeys),
  route('POST', '/api_keys', createKey),
  route('DELETE', '/api_keys/{key_id}', revokeKey),
  route('GET', ORGANIZATION, getOrganization),
  route('GET', `${ORGANIZATION}/api_keys`, listKeys),
  route('POST', `${ORGANIZATION}/api_keys`, createKey),
  route('DELETE', `${ORGANIZATION}/api_keys/{key_id}`, revokeKey),
  route('GET', `${ORGANIZATION}/members`, listMembers),
  route('GET', `${ORGANIZATION}/invitations`, noneInOrganization('invitations')),
  route('GET', `${ORGANIZATION}/vpc/vpc_endpoints`, noneInOrganization('endpoints')),
  route('GET', `${ORGANIZATION}/vpc/region/{region_id}/vpc_endpoints`, noneInOrganization('endpoints')),

  route('GET', '/projects', listProjects),
  route('POST', '/projects', createProject),
  route('GET', '/projects/shared', sharedProjects),
  route('GET', PROJECT, getProject),
  route('PATCH', PROJECT, updateProject),
  route('DELETE', PROJECT, deleteProject),
  route('GET', `${PROJECT}/connection_uri`, getConnectionUri),
  route('POST', `${PROJECT}/recover`, recoverProject),
  route('GET', `${PROJECT}/vpc_endpoints`, noneInProject('endpoints')),
  route('GET', `${PROJECT}/jwks`, noneInProject('jwks')),
  route('GET', `${PROJECT}/permissions`, noneInProject('project_permissions')),
  route('GET', `${PROJECT}/advisors`, noneInProject('issues')),
  route('GET', `${PROJECT}/available_preload_libraries`, noneInProject('libraries')),
  route('GET', `${PROJECT}/operations`, listOperations),
  route('GET', `${PROJECT}/operations/{operation_id}`, getOperation),

  route('GET', `${PROJECT}/branches`, listBranches),
  route('POST', `${PROJECT}/branches`, createBranch),
  route('GET', `${PROJECT}/branches/count`, countBranches),
  route('GET', BRANCH, getBranch),
  route('PATCH', BRANCH, updateBranch),
  route('DELETE', BRANCH, deleteBranch),
  route('POST', `${BRANCH}/restore`, restoreBranch),
  route('POST', `${BRANCH}/recover`, recoverBranch),
  route('POST', `${BRANCH}/set_as_default`, setDefaultBranch),
  route('GET', `${BRANCH}/schema`, getSchema),
  route('GET', `${BRANCH}/compare_schema`, compareSchemas),
  route('POST', `${PROJECT}/branch_anonymized`, createAnonymizedBranch),
  route('GET', `${BRANCH}/anonymized_status`, anonymizedStatus),
  route('GET', `${BRANCH}/masking_rules`, getMaskingRules),
  route('PATCH', `${BRANCH}/masking_rules`, updateMaskingRules),
  route('POST', `${BRANCH}/anonymize`, startAnonymization),
  route('GET', `${BRANCH}/endpoints`, listBranchEndpoints),
  route('GET', `${BRANCH}/auth`, getAuth),
  route('POST', `${BRANCH}/auth`, enableAuth),
  route('DELETE', `${BRANCH}/auth`, disableAuth),
  ...authSettingNames.map((name) => route('GET', `${BRANCH}/auth/${name}`, getAuthSetting(name))),
  route('GET', `${BRANCH}/buckets`, noneInBranch('buckets')),
  route('GET', `${BRANCH}/functions`, noneInBranch('functions')),
  route('GET', `${BRANCH}/credentials`, listCredentials),
  route('POST', `${BRANCH}/credentials`, createCredential),
  route('DELETE', `${BRANCH}/credentials/{token_id}`, revokeCredential),
  route('GET', DATA_API, getDataApi),
  route('POST', DATA_API, createDataApi),
  route('PATCH', DATA_API, updateDataApi),
  route('DELETE', DATA_API, deleteDataApi),

  route('POST', `${BRANCH}/snapshot`, createSnapshot),
  route('POST', `${BRANCH}/finalize_restore`, finalizeRestore),
  route('GET', `${BRANCH}/backup_schedule`, getSchedule),
  route('PUT', `${BRANCH}/backup_schedule`, setSchedule),
  route('GET', `${PROJECT}/snapshots`, listSnapshots),
  route('PATCH', SNAPSHOT, updateSnapshot),
  route('DELETE', SNAPSHOT, deleteSnapshot),
  route('POST', `${SNAPSHOT}/restore`, restoreSnapshot),

  route('GET', `${BRANCH}/roles`, listRoles),
  route('POST', `${BRANCH}/roles`, createRole),
  route('GET', ROLE, getRole),
  route('DELETE', ROLE, deleteRole),
  route('GET', `${ROLE}/reveal_password`, revealPassword),
  route('POST', `${ROLE}/reset_password`, resetPassword),

  route('GET', `${BRANCH}/databases`, listDatabases),
  route('POST', `${BRANCH}/databases`, createDatabase),
  route('GET', DATABASE, getDatabase),
  route('PATCH', DATABASE, updateDatabase),
  route('DELETE', DATABASE, deleteDatabase),

  route('GET', `${PROJECT}/endpoints`, listEndpoints),
  route('POST', `${PROJECT}/endpoints`, createEndpoint),
  route('GET', ENDPOINT, getEndpoint),
  route('PATCH', ENDPOINT, updateEndpoint),
  route('DELETE', ENDPOINT, deleteEndpoint),
  route('POST', `${ENDPOINT}/start`, startEndpoint),
  route('POST', `${ENDPOINT}/suspend`, suspendEndpoint),
  route('POST', `${ENDPOINT}/restart`, restartEndpoint),
];
