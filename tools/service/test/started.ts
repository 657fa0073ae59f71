import { afterEach, expect } from 'vitest';
import { type Service, type ServiceOptions, startService } from '../index.ts';

/** The service of the current test, once `start` has started it. */
export let service: Service;

/** Starts a service without computes; returns the path of its project. */
export async function start(options: ServiceOptions = {}): Promise<string> {
  service = await startService({ compute: 'none', operationMs: 5, ...options });
  return `/projects/${service.projectId}`;
}

afterEach(async () => {
  const { violations } = service;
  await service.stop();
  expect(violations).toEqual([]);
});
