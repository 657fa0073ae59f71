/** The commands that are not actions of their own yet. */
export const commandNames = ['prune'] as const;

export type CommandName = (typeof commandNames)[number];
