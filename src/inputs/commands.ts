/** Every command but `auto`, which picks one of them. */
export const commandNames = ['create', 'get', 'reset', 'delete', 'diff', 'prune', 'wait', 'manage'] as const;

export type CommandName = (typeof commandNames)[number];
