import { Ajv2019, type ValidateFunction } from 'ajv/dist/2019.js';
import addFormats from 'ajv-formats';
import { isJsonObject, type JsonObject } from '../http/body.ts';
import type { Inspector } from '../http/handle.ts';
import type { RecordedRequest } from '../http/recorded-request.ts';
import type { ApiResponse } from '../http/respond.ts';
import { findRoute, type Route, route } from '../http/router.ts';
import { closedSchema, type Description, description, resolveRef } from './description.ts';

/** The compiled description of one method of one path. */
interface OperationSchema {
  parameters: Map<string, ValidateFunction>;
  requiredQuery: string[];
  body: ValidateFunction | undefined;
  bodyRequired: boolean;
  /** By status; `validate` is undefined if the response has no body. */
  response(status: number): { validate: ValidateFunction | undefined } | undefined;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
// Shared by all services of a process, because compiling is slow.
const compiled = new Map<string, OperationSchema>();
/** By schema: many parameters, and the bodies of most errors, are alike. */
const validators = new Map<string, ValidateFunction>();
let validator: Ajv2019 | undefined;
let describedRoutes: Route[] | undefined;

function compile(schema: JsonObject): ValidateFunction {
  if (!validator) {
    validator = new Ajv2019({
      strict: false,
      allErrors: true,
      coerceTypes: false,
      logger: false,
      // Both would double the time for compiling, which each process that runs a service needs anew.
      validateSchema: false,
      code: { optimize: false },
      formats: { int: true },
    });
    // ajv-formats is CommonJS: the function is `default.default`.
    addFormats.default(validator);
  }
  const text = JSON.stringify(schema);
  const validate = validators.get(text) ?? validator.compile(schema);
  validators.set(text, validate);
  return validate;
}

/** Query and path values are strings, even if the description says number or boolean. */
const parseScalar = (text: string): unknown => (/^(true|false|-?\d+(\.\d+)?)$/.test(text) ? JSON.parse(text) : text);

/** The schema of the JSON body of a request or response. */
export const jsonSchema = (root: Description, holder: unknown): unknown => {
  const content = resolveRef(root, holder).content;
  const json = isJsonObject(content) ? content['application/json'] : undefined;
  return isJsonObject(json) ? json.schema : undefined;
};

function operationSchema(root: Description, template: string, method: string): OperationSchema | undefined {
  const key = `${method} ${template}`;
  const known = compiled.get(key);
  if (known) return known;
  const path = resolveRef(root, isJsonObject(root.paths) ? root.paths[template] : undefined);
  const operation = path[method.toLowerCase()];
  if (!isJsonObject(operation)) return undefined;
  const declared = [path.parameters, operation.parameters].flatMap((list) => (Array.isArray(list) ? list : []));
  const parameters = declared.map((parameter) => resolveRef(root, parameter));
  const responses = isJsonObject(operation.responses) ? operation.responses : {};
  const responseSchemas = new Map<number, { validate: ValidateFunction | undefined }>();
  const bodySchema = jsonSchema(root, operation.requestBody);
  const schema: OperationSchema = {
    parameters: new Map(
      parameters.map(
        ({ in: place, name, schema }) => [`${place} ${name}`, compile(closedSchema(root, schema))] as const,
      ),
    ),
    requiredQuery: parameters
      .filter((parameter) => parameter.in === 'query' && parameter.required)
      .map(({ name }) => String(name)),
    body: bodySchema === undefined ? undefined : compile(closedSchema(root, bodySchema)),
    bodyRequired: resolveRef(root, operation.requestBody).required === true,
    response: (status) => {
      const found = responseSchemas.get(status);
      if (found) return found;
      const holder = responses[String(status)] ?? (status >= 400 ? responses.default : undefined);
      if (holder === undefined) return undefined;
      const responseSchema = jsonSchema(root, holder);
      const entry = {
        validate: responseSchema === undefined ? undefined : compile(closedSchema(root, responseSchema)),
      };
      responseSchemas.set(status, entry);
      return entry;
    },
  };
  compiled.set(key, schema);
  return schema;
}

function routesOf(root: Description): Route[] {
  const paths = isJsonObject(root.paths) ? root.paths : {};
  const never = (): never => {
    throw new Error('routes of the description are never called');
  };
  return Object.entries(paths)
    .sort(([a], [b]) => a.split('{').length - b.split('{').length)
    .flatMap(([template, methods]) =>
      METHODS.filter((method) => isJsonObject(methods) && method in methods).map((method) =>
        route(method.toUpperCase(), template, never),
      ),
    );
}

const formatErrors = (validate: ValidateFunction): string =>
  (validate.errors ?? [])
    .map(({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`)
    .join('; ');

/**
 * Checks requests and responses against the published description and collects violations. Responses with a scripted fault
 * are not checked. `exempt` matches the paths of conventional kinds, which are not published.
 */
export class OpenApiCheck implements Inspector {
  readonly #violations: string[];
  readonly #exempt: RegExp;
  readonly #root = description();

  constructor(violations: string[], exempt: RegExp) {
    this.#violations = violations;
    this.#exempt = exempt;
  }

  request(request: RecordedRequest): void {
    if (this.#exempt.test(request.path)) return;
    const report = (violation: string): void => this.#report(request, 'request', violation);
    const found = this.#find(request);
    if (!found) {
      report('the description has no such path and method');
      return;
    }
    const { schema, params } = found;
    for (const [name, value] of Object.entries(params)) this.#checkParameter(request, schema, `path ${name}`, value);
    for (const [name, value] of Object.entries(request.query))
      this.#checkParameter(request, schema, `query ${name}`, value);
    for (const name of schema.requiredQuery) if (!(name in request.query)) report(`query ${name} is missing`);
    if (request.body === undefined) {
      if (schema.bodyRequired) report('the body is missing');
    } else if (!schema.body) {
      report('unexpected body');
    } else if (!schema.body(request.body)) {
      report(formatErrors(schema.body));
    } else if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) {
      report('the content-type of the JSON body is missing');
    }
  }

  response(request: RecordedRequest, { status, body }: ApiResponse): void {
    if (this.#exempt.test(request.path)) return;
    const schema = this.#find(request)?.schema;
    if (!schema) return;
    const report = (violation: string): void => this.#report(request, `response ${status}`, violation);
    const expected = schema.response(status);
    if (!expected) {
      report('the description has no such status');
    } else if (!expected.validate) {
      if (body !== undefined) report('unexpected body');
    } else if (!expected.validate(body)) {
      report(formatErrors(expected.validate));
    }
  }

  #find(request: RecordedRequest): { schema: OperationSchema; params: Record<string, string> } | undefined {
    describedRoutes ??= routesOf(this.#root);
    const found = findRoute(describedRoutes, request.method, request.path);
    if (!('route' in found)) return undefined;
    const schema = operationSchema(this.#root, found.route.template, request.method);
    return schema && { schema, params: found.params };
  }

  #checkParameter(request: RecordedRequest, schema: OperationSchema, name: string, value: string): void {
    const validate = schema.parameters.get(name);
    if (!validate) this.#report(request, 'request', `the description has no ${name}`);
    else if (!validate(value) && !validate(parseScalar(value)))
      this.#report(request, 'request', `${name}: ${formatErrors(validate)}`);
  }

  #report({ method, path }: RecordedRequest, part: string, violation: string): void {
    this.#violations.push(`${method} ${path}: ${part}: ${violation}`);
  }
}
