import { afterAll, beforeAll, expect, it } from 'vitest';
import { filesBelow, read } from '../../files.ts';
import { type Service, startService } from '../index.ts';
import { call } from './client.ts';

const documents = ['README.md', 'action.yml', ...filesBelow('docs', /\.md$/), ...filesBelow('examples', /\.yml$/)];
const documented = new Set(documents.flatMap((path) => read(path).match(/\banon\.\w+\([^)]*\)/g) ?? []));
const functions = [...documented, "anon.pseudo_email(zip, 'salt')", 'anon.dummy_uuidv4()', 'anon.random_phone()'];

let service: Service;
let project: string;

beforeAll(async () => {
  service = await startService({
    operationMs: 0,
    seed: `CREATE TABLE users (id int PRIMARY KEY, email text UNIQUE, name varchar(20), born date, zip text);
      INSERT INTO users SELECT n, 'real' || n || '@company.test', 'Real', date '2001-02-03', '12345' FROM generate_series(1, 50) n;
      INSERT INTO users VALUES (51);
      CREATE TABLE texts (zip text DEFAULT '12345', ${functions.map((_, at) => `c${at} text DEFAULT '12345'`)});
      INSERT INTO texts DEFAULT VALUES`,
  });
  project = `/projects/${service.projectId}`;
});

afterAll(async () => {
  const { violations } = service;
  await service.stop();
  expect(violations).toEqual([]);
});

const rule = (column: string, how: Record<string, string>, table = 'users') => ({
  database_name: 'neondb',
  schema_name: 'public',
  table_name: table,
  column_name: column,
  ...how,
});

async function create(name: string, masking_rules: unknown[], start_anonymization = true) {
  const body = {
    branch_create: { branch: { name }, endpoints: [{ type: 'read_write' }] },
    masking_rules,
    start_anonymization,
    annotation_value: { made: 'here' },
  };
  const created = await call(service, 'POST', `${project}/branch_anonymized`, { body });
  expect(created.status).toBe(201);
  const branch = `${project}/branches/${created.body.branch.id}`;
  const state = async (): Promise<string> => (await call(service, 'GET', `${branch}/anonymized_status`)).body.state;
  return { branch, state };
}

it('creates a branch with masked columns; equal values get equal fakes', async () => {
  const { branch, state } = await create('masked', [
    rule('email', { masking_function: 'anon.fake_email()' }),
    rule('name', { masking_function: 'anon.fake_first_name()' }),
    rule('born', { masking_function: 'anon.random_date()' }),
    rule('zip', { masking_value: '00000' }),
  ]);
  expect(['created', 'initialized', 'anonymizing']).toContain(await state());
  await service.idle();
  expect(await state()).toBe('anonymized');
  const status = (await call(service, 'GET', `${branch}/anonymized_status`)).body;
  expect(status.last_run.masked_columns).toBe(4);
  const [row] = await service.query(
    'masked',
    `SELECT count(DISTINCT email)::int AS emails, count(*) FILTER (WHERE email LIKE 'real%')::int AS real, count(DISTINCT name)::int AS names,
      count(*) FILTER (WHERE zip = '00000')::int AS zips, count(*) FILTER (WHERE born <> '2001-02-03')::int AS born, count(*)::int AS n FROM users`,
  );
  expect(row).toEqual({ emails: 50, real: 0, names: 1, zips: 50, born: 50, n: 51 });
  expect(await service.query('main', "SELECT count(*)::int AS n FROM users WHERE email LIKE 'real%'")).toEqual([
    { n: 50 },
  ]);
  expect(service.annotations('masked')).toEqual({ made: 'here' });
  expect((await call(service, 'GET', `${branch}/masking_rules`)).body.masking_rules).toHaveLength(4);
});

it('masks with each function in the documents', async () => {
  const rules = functions.map((masking_function, at) => rule(`c${at}`, { masking_function }, 'texts'));
  const { state } = await create('functions', rules);
  await service.idle();
  expect(await state()).toBe('anonymized');
  const [row = {}] = await service.query('functions', 'SELECT * FROM texts');
  const real = Object.entries(row).filter(([, value]) => value === '12345');
  expect(real.map(([column]) => column)).toEqual(['zip']);
  expect([...documented]).toContain('anon.dummy_free_email()');
});

it.each([
  [
    'an unknown function',
    rule('email', { masking_function: 'anon.magic()' }),
    /unknown masking function "anon.magic\(\)" \(this local service knows only common ones; Neon has all of/,
  ],
  [
    'SQL in an argument',
    rule('name', { masking_function: 'anon.random_string(1); DROP TABLE users; --)' }),
    /unsupported|unknown/,
  ],
])('reports an error for %s and changes nothing', async (name, invalid, message) => {
  const { branch, state } = await create(name, [rule('zip', { masking_value: '0' }), invalid]);
  await service.idle();
  expect(await state()).toBe('error');
  const { body } = await call(service, 'GET', `${branch}/anonymized_status`);
  expect(body.status_message).toMatch(message);
  expect(body.failed_at).toBeDefined();
  expect(await service.query(name, "SELECT count(*)::int AS n FROM users WHERE zip = '0'")).toEqual([{ n: 0 }]);
});

it('reports initialization_error if the branch cannot be created, and 404 for other branches', async () => {
  service.faults.operation({ action: 'create_branch', outcome: 'error', times: 1 });
  const { state } = await create('stillborn', [rule('zip', { masking_value: '1' })]);
  await service.idle();
  expect(await state()).toBe('initialization_error');
  expect((await call(service, 'GET', `${project}/branches/${service.main.id}/anonymized_status`)).status).toBe(404);
});
