import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../tools/files.ts';

/** The examples for a framework, a host or a way to organize repositories. The tests in this folder play them. */
const families = [
  /^(drizzle-vercel|nextjs-cloudflare|vercel-git)\.yml$/,
  /^spring-boot\.yml$/,
  /^(monorepo-two-databases|organization-(preview|preview-caller|prune))\.yml$/,
  /^(migration-and-runtime-role|staging-reset|preview-on-schema-change|from-neon-actions)\.yml$/,
  /^(backup-before-migration|restore-from-backup)\.yml$/,
];

export const isRecipe = (name: string) => families.some((family) => family.test(name));

export const recipes = readdirSync(join(ROOT, 'examples')).filter(isRecipe);
