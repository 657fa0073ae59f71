/** Every command except `auto`, which stands for one of these. */
export const commandNames = ['create', 'get', 'reset', 'delete', 'diff', 'prune', 'wait', 'manage'] as const;

export type CommandName = (typeof commandNames)[number];
