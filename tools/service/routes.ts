import { createDataApi, deleteDataApi, disableAuth, enableAuth, getAuth, getDataApi } from './branches/addons.ts';
import { anonymizedStatus, createAnonymizedBranch, getMaskingRules } from './branches/anonymize.ts';
import { createBranch } from './branches/create.ts';
import { deleteBranch } from './branches/delete.ts';
import { getBranch, listBranches } from './branches/read.ts';
import { restoreBranch } from './branches/restore.ts';
import { getSchema } from './branches/schema.ts';
import { updateBranch } from './branches/update.ts';
import { type Route, route } from './http/router.ts';
import { createKey, currentUser, listKeys, regions, revokeKey } from './objects/account.ts';
import { getConnectionUri } from './objects/connection-uri.ts';
import { createDatabase, deleteDatabase, getDatabase, listDatabases, updateDatabase } from './objects/databases.ts';
import {
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listBranchEndpoints,
  listEndpoints,
  restartEndpoint,
  suspendEndpoint,
  updateEndpoint,
} from './objects/endpoints.ts';
import { noneInBranch } from './objects/none.ts';
import { getOperation, listOperations } from './objects/operations.ts';
import { createProject, deleteProject, getProject, listProjects, updateProject } from './objects/projects.ts';
import { createRole, deleteRole, getRole, listRoles } from './objects/roles.ts';
import { createSnapshot, deleteSnapshot, listSnapshots, restoreSnapshot, updateSnapshot } from './objects/snapshots.ts';

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
  route('GET', '/regions', regions),
  route('GET', '/api_keys', listKeys),
  route('POST', '/api_keys', createKey),
  route('DELETE', '/api_keys/{key_id}', revokeKey),
  route('GET', `${ORGANIZATION}/api_keys`, listKeys),
  route('POST', `${ORGANIZATION}/api_keys`, createKey),
  route('DELETE', `${ORGANIZATION}/api_keys/{key_id}`, revokeKey),

  route('GET', '/projects', listProjects),
  route('POST', '/projects', createProject),
  route('GET', PROJECT, getProject),
  route('PATCH', PROJECT, updateProject),
  route('DELETE', PROJECT, deleteProject),
  route('GET', `${PROJECT}/connection_uri`, getConnectionUri),
  route('GET', `${PROJECT}/operations`, listOperations),
  route('GET', `${PROJECT}/operations/{operation_id}`, getOperation),

  route('GET', `${PROJECT}/branches`, listBranches),
  route('POST', `${PROJECT}/branches`, createBranch),
  route('GET', BRANCH, getBranch),
  route('PATCH', BRANCH, updateBranch),
  route('DELETE', BRANCH, deleteBranch),
  route('POST', `${BRANCH}/restore`, restoreBranch),
  route('GET', `${BRANCH}/schema`, getSchema),
  route('POST', `${PROJECT}/branch_anonymized`, createAnonymizedBranch),
  route('GET', `${BRANCH}/anonymized_status`, anonymizedStatus),
  route('GET', `${BRANCH}/masking_rules`, getMaskingRules),
  route('GET', `${BRANCH}/endpoints`, listBranchEndpoints),
  route('GET', `${BRANCH}/auth`, getAuth),
  route('POST', `${BRANCH}/auth`, enableAuth),
  route('DELETE', `${BRANCH}/auth`, disableAuth),
  route('GET', `${BRANCH}/buckets`, noneInBranch('buckets')),
  route('GET', `${BRANCH}/functions`, noneInBranch('functions')),
  route('GET', `${BRANCH}/triggers`, noneInBranch('triggers')),
  route('GET', `${BRANCH}/credentials`, noneInBranch('credentials')),
  route('GET', DATA_API, getDataApi),
  route('POST', DATA_API, createDataApi),
  route('DELETE', DATA_API, deleteDataApi),

  route('POST', `${BRANCH}/snapshot`, createSnapshot),
  route('GET', `${PROJECT}/snapshots`, listSnapshots),
  route('PATCH', SNAPSHOT, updateSnapshot),
  route('DELETE', SNAPSHOT, deleteSnapshot),
  route('POST', `${SNAPSHOT}/restore`, restoreSnapshot),

  route('GET', `${BRANCH}/roles`, listRoles),
  route('POST', `${BRANCH}/roles`, createRole),
  route('GET', ROLE, getRole),
  route('DELETE', ROLE, deleteRole),

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
  route('POST', `${ENDPOINT}/suspend`, suspendEndpoint),
  route('POST', `${ENDPOINT}/restart`, restartEndpoint),
];
