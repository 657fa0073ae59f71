import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../tools/files.ts';

/** The examples for a framework, a host or a way to organize repositories. The tests in this folder play them. */
const families = [
  /^nextjs-/,
  /^(django-pytest-shards|rails|spring-boot|drizzle|flyway)\.yml$/,
  /^(monorepo-two-projects|monorepo-two-databases|shared-project|organization-preview(-caller)?)\.yml$/,
  /^(migration-and-runtime-role|staging-reset|preview-on-schema-change|from-neon-actions)\.yml$/,
  /^(backup-before-migration|restore-from-backup)\.yml$/,
];

export const isRecipe = (name: string) => families.some((family) => family.test(name));

export const recipes = readdirSync(join(ROOT, 'examples')).filter(isRecipe);
