import { createNeonClient } from '@neon/sdk';
import { createApiClient, EndpointType } from '@neondatabase/api-client';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../../tools/service/index.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ operationMs: 5 });
});
afterAll(async () => {
  const { violations } = service;
  await service.stop();
  expect(violations).toEqual([]);
});

async function answers(uri: string): Promise<void> {
  const url = new URL(uri);
  url.search = '';
  const client = new pg.Client({ connectionString: url.href, ssl: { rejectUnauthorized: false } });
  await client.connect();
  await client.query('SELECT 1');
  await client.end();
}

/** Calls every function in turn, and returns what each failed with. */
async function failures(calls: Record<string, () => Promise<unknown>>): Promise<Record<string, string>> {
  const failed: Record<string, string> = {};
  for (const [name, call] of Object.entries(calls)) {
    await call().catch((error: unknown) => {
      failed[name] = String(error);
    });
    await service.idle();
  }
  return failed;
}

const soon = () => new Date(Date.now() + 3_600_000).toISOString();

describe('the official libraries', () => {
  it('@neon/sdk works with the service', async () => {
    const neon = createNeonClient({ apiKey: service.apiKey, baseUrl: service.baseUrl, throwOnError: true });
    const { projectId } = service;
    const project = { projectId };
    const { branch, endpoint, connectionString } = await neon.branches.createAndConnect({
      ...project,
      name: 'sdk',
      pooled: true,
    });
    await answers(connectionString);
    const on = { ...project, branchId: branch.id };
    const db = { ...on, databaseName: 'neondb' };
    const compute = { ...project, endpointId: endpoint.id };
    const main = { ...project, branchId: service.main.id };
    let snapshotId = '';
    let restoredId = '';
    expect(
      await failures({
        'projects.list': () => neon.projects.list().all(),
        'projects.get': () => neon.projects.get(project),
        'projects.update': () => neon.projects.update({ ...project, name: 'renamed' }),
        'branches.list': () => neon.branches.list(project).all(),
        'branches.getDefault': () => neon.branches.getDefault(project),
        'branches.create': () => neon.branches.create({ ...project, name: 'other', expires_at: soon() }),
        'branches.get': () => neon.branches.get(on),
        'branches.update': () => neon.branches.update({ ...on, name: 'sdk-2', expires_at: soon() }),
        'branches.resetFromParent': () => neon.branches.resetFromParent(on),
        'branches.compareSchema': () => neon.branches.compareSchema(db),
        'postgres.endpoints.listByBranch': () => neon.postgres.endpoints.listByBranch(on),
        'postgres.endpoints.suspend': () => neon.postgres.endpoints.suspend(compute),
        'postgres.endpoints.start': () => neon.postgres.endpoints.start(compute),
        'postgres.roles.create': () => neon.postgres.roles.create({ ...on, name: 'app' }),
        'postgres.roles.password': () => neon.postgres.roles.password({ ...on, roleName: 'app' }),
        'postgres.roles.delete': () => neon.postgres.roles.delete({ ...on, roleName: 'app' }),
        'postgres.databases.create': () =>
          neon.postgres.databases.create({ ...on, name: 'shop', owner_name: 'neondb_owner' }),
        'postgres.databases.list': () => neon.postgres.databases.list(on),
        'postgres.dataApi.create': () => neon.postgres.dataApi.create(db),
        'postgres.dataApi.get': () => neon.postgres.dataApi.get(db),
        'postgres.dataApi.delete': () => neon.postgres.dataApi.delete(db),
        'snapshots.create': async () => {
          snapshotId = (await neon.snapshots.create({ ...on, name: 'before', expiresAt: soon() })).id;
        },
        'snapshots.list': () => neon.snapshots.list(project),
        'snapshots.update': () => neon.snapshots.update({ ...project, snapshotId, name: 'later' }),
        'snapshots.restore': async () => {
          restoredId = (await neon.snapshots.restore({ ...project, snapshotId, name: 'recovered', finalize: false }))
            .id;
        },
        'branches.finalizeRestore': () => neon.branches.finalizeRestore({ ...project, branchId: restoredId }),
        'snapshots.delete': () => neon.snapshots.delete({ ...project, snapshotId }),
        'operations.list': () => neon.operations.list(project).all(),
        'auth.create': () => neon.auth.create({ ...main, auth_provider: 'better_auth' }),
        'auth.get': () => neon.auth.get(main),
        'auth.oauthProviders.list': () => neon.auth.oauthProviders.list(main),
        'auth.trustedDomains.list': () => neon.auth.trustedDomains.list(main),
        'auth.disable': () => neon.auth.disable(main),
        'storage.buckets.list': () => neon.storage.buckets.list(on),
        'functions.list': () => neon.functions.list(on).all(),
        'credentials.create': async () => {
          const { token_id: tokenId } = await neon.credentials.create({
            ...on,
            name: 'ci',
            principal_type: 'user',
            scopes: ['storage:read'],
          });
          await neon.credentials.revoke({ ...on, tokenId });
        },
        'credentials.list': () => neon.credentials.list(on),
        'projects.permissions.list': () => neon.projects.permissions.list(project),
        'projects.recover': async () => {
          const other = await neon.projects.create({ name: 'other' });
          await service.idle();
          await neon.projects.delete({ projectId: other.id });
          await neon.projects.recover({ projectId: other.id });
        },
        'apiKeys.list': () => neon.apiKeys.list(),
        'regions.list': () => neon.regions.list(),
        'user.me': () => neon.user.me(),
        'user.organizations': () => neon.user.organizations(),
        'branches.delete': () => neon.branches.delete(on),
      }),
    ).toEqual({});
    // The restored branch has taken the endpoint and the name of the old one.
    expect(service.endpoints('sdk-2')).toMatchObject([{ id: endpoint.id, branch_id: restoredId }]);
    await answers(service.uri('sdk-2'));
  });

  it('@neondatabase/api-client works with the service', async () => {
    const api = createApiClient({ apiKey: service.apiKey, baseURL: service.baseUrl });
    const { projectId } = service;
    const { data } = await api.createProjectBranch(projectId, {
      branch: { name: 'api-client', expires_at: soon() },
      endpoints: [{ type: EndpointType.ReadWrite }],
    });
    const [connection] = data.connection_uris ?? [];
    // The computes are still starting, so the connections are held.
    await answers(connection?.connection_uri ?? '');
    const { id } = data.branch;
    const endpoint = data.endpoints[0]?.id ?? '';
    const names = { branch_id: id, database_name: 'neondb', role_name: 'neondb_owner' };
    expect(
      await failures({
        getProject: () => api.getProject(projectId),
        listProjectBranches: () => api.listProjectBranches({ projectId }),
        getProjectBranch: () => api.getProjectBranch(projectId, id),
        updateProjectBranch: () => api.updateProjectBranch(projectId, id, { branch: { name: 'renamed' } }),
        getConnectionUri: () => api.getConnectionUri({ projectId, ...names }),
        listProjectBranchRoles: () => api.listProjectBranchRoles(projectId, id),
        listProjectBranchDatabases: () => api.listProjectBranchDatabases(projectId, id),
        getProjectBranchSchema: () => api.getProjectBranchSchema({ projectId, branchId: id, db_name: 'neondb' }),
        getProjectEndpoint: () => api.getProjectEndpoint(projectId, endpoint),
        restartProjectEndpoint: () => api.restartProjectEndpoint(projectId, endpoint),
        restoreProjectBranch: () => api.restoreProjectBranch(projectId, id, { source_branch_id: service.main.id }),
        listProjectOperations: () => api.listProjectOperations({ projectId }),
        createSnapshot: () => api.createSnapshot({ projectId, branchId: id, name: 'before' }),
        listApiKeys: () => api.listApiKeys(),
        listProjectVpcEndpoints: () => api.listProjectVpcEndpoints(projectId),
        listProjectPermissions: () => api.listProjectPermissions(projectId),
        getProjectJwks: () => api.getProjectJwks(projectId),
        getCurrentUserInfo: () => api.getCurrentUserInfo(),
        getActiveRegions: () => api.getActiveRegions({}),
        deleteProjectBranch: () => api.deleteProjectBranch({ projectId, branchId: id }),
      }),
    ).toEqual({});
  });
});
