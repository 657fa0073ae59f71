import { Ajv2019, type ValidateFunction } from 'ajv/dist/2019.js';
import addFormats from 'ajv-formats';
import { type Fields, isFields } from '../http/body.ts';
import type { Plain } from '../http/deliver.ts';
import { find, type Route, route } from '../http/router.ts';
import type { Inspector, RecordedRequest } from '../http/server.ts';
import { closedSchema, type Description, description, resolve } from './description.ts';

/** What the description says of one method of one path, compiled when it is first asked for. */
interface Described {
  parameters: Map<string, ValidateFunction>;
  requiredQuery: string[];
  body: ValidateFunction | undefined;
  bodyRequired: boolean;
  /** By status; an entry without a function is an answer without a body. */
  response(status: number): { validate: ValidateFunction | undefined } | undefined;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
// Shared by all services of a process: compiling is what costs.
const compiled = new Map<string, Described>();
let validator: Ajv2019 | undefined;
let table: Route[] | undefined;

function compile(schema: Fields): ValidateFunction {
  if (!validator) {
    validator = new Ajv2019({
      strict: false,
      allErrors: true,
      coerceTypes: false,
      logger: false,
      formats: { int: true },
    });
    // ajv-formats is CommonJS: its function is the default export's default export.
    addFormats.default(validator);
  }
  return validator.compile(schema);
}

/** Query and path values are text: a number or a truth value is what the text stands for. */
const meant = (text: string): unknown => (/^(true|false|-?\d+(\.\d+)?)$/.test(text) ? JSON.parse(text) : text);

const jsonSchema = (root: Description, holder: unknown): unknown => {
  const content = resolve(root, holder).content;
  const json = isFields(content) ? content['application/json'] : undefined;
  return isFields(json) ? json.schema : undefined;
};

function describe(root: Description, template: string, method: string): Described | undefined {
  const key = `${method} ${template}`;
  const known = compiled.get(key);
  if (known) return known;
  const path = resolve(root, isFields(root.paths) ? root.paths[template] : undefined);
  const operation = path[method.toLowerCase()];
  if (!isFields(operation)) return undefined;
  const listed = [path.parameters, operation.parameters].flatMap((list) => (Array.isArray(list) ? list : []));
  const parameters = listed.map((one) => resolve(root, one));
  const responses = isFields(operation.responses) ? operation.responses : {};
  const checked = new Map<number, { validate: ValidateFunction | undefined }>();
  const bodySchema = jsonSchema(root, operation.requestBody);
  const described: Described = {
    parameters: new Map(
      parameters.map((one) => [`${one.in} ${one.name}`, compile(closedSchema(root, one.schema))] as const),
    ),
    requiredQuery: parameters.filter((one) => one.in === 'query' && one.required).map((one) => String(one.name)),
    body: bodySchema === undefined ? undefined : compile(closedSchema(root, bodySchema)),
    bodyRequired: resolve(root, operation.requestBody).required === true,
    response: (status) => {
      const found = checked.get(status);
      if (found) return found;
      const holder = responses[String(status)] ?? (status >= 400 ? responses.default : undefined);
      if (holder === undefined) return undefined;
      const schema = jsonSchema(root, holder);
      const entry = { validate: schema === undefined ? undefined : compile(closedSchema(root, schema)) };
      checked.set(status, entry);
      return entry;
    },
  };
  compiled.set(key, described);
  return described;
}

function templates(root: Description): Route[] {
  const paths = isFields(root.paths) ? root.paths : {};
  const never = (): never => {
    throw new Error('a route of the description is only looked up');
  };
  return Object.entries(paths)
    .sort(([a], [b]) => a.split('{').length - b.split('{').length)
    .flatMap(([template, methods]) =>
      METHODS.filter((method) => isFields(methods) && method in methods).map((method) =>
        route(method.toUpperCase(), template, never),
      ),
    );
}

const faults = (validate: ValidateFunction): string =>
  (validate.errors ?? [])
    .map(({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`)
    .join('; ');

/**
 * Holds requests and answers against the published description and writes down what does not agree. Answers that a test
 * has scripted never come here. Paths in `exempt` are those of the plain convention, which nobody has published.
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
    const say = (what: string): void => this.#say(request, 'request', what);
    const found = this.#find(request);
    if (!found) {
      say('the description has no such path and method');
      return;
    }
    const { described, params } = found;
    for (const [name, value] of Object.entries(params)) this.#parameter(request, described, `path ${name}`, value);
    for (const [name, value] of Object.entries(request.query))
      this.#parameter(request, described, `query ${name}`, value);
    for (const name of described.requiredQuery) if (!(name in request.query)) say(`query ${name} is missing`);
    if (request.body === undefined) {
      if (described.bodyRequired) say('the body is missing');
    } else if (!described.body) {
      say('a body where none belongs');
    } else if (!described.body(request.body)) {
      say(faults(described.body));
    } else if (!/^application\/json\b/.test(request.headers['content-type'] ?? '')) {
      say('a JSON body without its content-type');
    }
  }

  response(request: RecordedRequest, { status, body }: Plain): void {
    if (this.#exempt.test(request.path)) return;
    const described = this.#find(request)?.described;
    if (!described) return;
    const say = (what: string): void => this.#say(request, `answer ${status}`, what);
    const expected = described.response(status);
    if (!expected) {
      say('the description has no such status');
    } else if (!expected.validate) {
      if (body !== undefined) say('a body where none belongs');
    } else if (!expected.validate(body)) {
      say(faults(expected.validate));
    }
  }

  #find(request: RecordedRequest): { described: Described; params: Record<string, string> } | undefined {
    table ??= templates(this.#root);
    const found = find(table, request.method, request.path);
    if (!('route' in found)) return undefined;
    const described = describe(this.#root, found.route.template, request.method);
    return described && { described, params: found.params };
  }

  #parameter(request: RecordedRequest, described: Described, name: string, value: string): void {
    const validate = described.parameters.get(name);
    if (!validate) this.#say(request, 'request', `the description has no ${name}`);
    else if (!validate(value) && !validate(meant(value))) this.#say(request, 'request', `${name}: ${faults(validate)}`);
  }

  #say({ method, path }: RecordedRequest, part: string, what: string): void {
    this.#violations.push(`${method} ${path}: ${part}: ${what}`);
  }
}
