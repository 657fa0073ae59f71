import { dirname } from 'node:path';
import { repositoryOf } from '../docs/repository.ts';

/** `owner/name` of this repository, from `package.json`. */
export const REPOSITORY = repositoryOf(dirname(dirname(import.meta.dirname)));

/** This action in the `uses:` of a workflow. */
export const OURS = `${REPOSITORY}@v1`;
