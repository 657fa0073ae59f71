import { expect, it } from 'vitest';
import { environmentFor } from '../../../src/rehearse/environment.ts';

const uri = 'postgresql://an%40owner:p%2Fw@ep-x.example:5433/my%20db?sslmode=require&channel_binding=require';
const given = (env: NodeJS.ProcessEnv) => environmentFor(env, { uri, apiKey: 'napi_secret' });

it('has the direct connection in every variable that tools take it from', () => {
  expect(given({ DATABASE_URL: 'postgresql://production', PGHOST: 'production', DIRECT_URL: 'production' })).toEqual({
    DATABASE_URL: uri,
    DATABASE_URL_UNPOOLED: uri,
    DIRECT_URL: uri,
    PGHOST: 'ep-x.example',
    PGHOST_UNPOOLED: 'ep-x.example',
    PGPORT: '5433',
    PGUSER: 'an@owner',
    PGPASSWORD: 'p/w',
    PGDATABASE: 'my db',
    PGSSLMODE: 'require',
    PGCHANNELBINDING: 'require',
  });
});

it('keeps the environment of the job, except for what belongs to the action', () => {
  const job = {
    PATH: '/bin',
    GITHUB_ACTIONS: 'true',
    GITHUB_REF: 'refs/heads/main',
    GITHUB_TOKEN: 'set by the job',
    RUNNER_TRACKING_ID: 'github_1',
    PGOPTIONS: '-c lock_timeout=1s',
  };
  const ours = {
    INPUT_API_KEY: 'x',
    STATE_ephemeral: '{}',
    GITHUB_OUTPUT: '/o',
    GITHUB_ENV: '/e',
    GITHUB_PATH: '/p',
    GITHUB_STATE: '/s',
    GITHUB_STEP_SUMMARY: '/m',
    GITHUB_ACTION: 'run1',
    GITHUB_ACTION_PATH: '/a',
    ACTIONS_RUNTIME_TOKEN: 't',
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 't',
  };
  expect(given({ ...job, ...ours })).toMatchObject(job);
  expect(Object.keys(given({ ...job, ...ours })).filter((name) => name in ours)).toEqual([]);
});

it('has no variable with the API key, whatever its name', () => {
  expect(given({ NEON_API_KEY: 'napi_secret', HEADER: 'Bearer napi_secret' })).not.toMatchObject({
    NEON_API_KEY: expect.anything(),
  });
  expect(JSON.stringify(given({ HEADER: 'Bearer napi_secret' }))).not.toContain('napi_secret');
});

it('has none of the variables of libpq that lead to another server', () => {
  const names = Object.keys(given({ PGHOSTADDR: '10.0.0.1', PGSERVICE: 'production', PGPASSFILE: '/x' }));
  expect(names.filter((name) => /HOSTADDR|SERVICE|PASSFILE/.test(name))).toEqual([]);
});
