import { randomBytes, randomInt, randomUUID } from 'node:crypto';

const ADJECTIVES =
  'aged autumn bitter bold broad calm cold cool crimson curly damp dawn delicate dry falling floral fragrant frosty ' +
  'gentle green hidden holy icy late lingering little lively long misty morning muddy nameless noisy odd old orange ' +
  'patient plain polished proud purple quiet rapid raspy red restless rough round royal shiny shrill shy silent small ' +
  'snowy soft solitary sparkling spring square steep still summer super sweet throbbing tight tiny twilight wandering ' +
  'weathered white wild winter wispy withered yellow young';
const NOUNS =
  'art band bar base bird block boat bonus bread breeze brook bush butterfly cake cell cherry cloud credit darkness ' +
  'dawn dew disk dream dust feather field fire firefly flower fog forest frog frost glade glitter grass hall hat haze ' +
  'heart hill king lab lake leaf limit math meadow mode moon morning mountain mouse mud night paper pine poetry pond ' +
  'queen rain recipe resonance rice river salad scene sea shadow shape silence sky smoke snow snowflake sound star ' +
  'sun sunset surf term thunder tooth tree truth union unit violet voice water waterfall wave wildflower wind wood';
const adjectives = ADJECTIVES.split(' ');
const nouns = NOUNS.split(' ');
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

const pick = (words: readonly string[]): string => words[randomInt(words.length)] ?? '';

function letters(count: number): string {
  let text = '';
  for (const byte of randomBytes(count)) text += LETTERS[byte % LETTERS.length];
  return text;
}

const words = (): string => `${pick(adjectives)}-${pick(nouns)}`;

export const newProjectId = (): string => `${words()}-${randomInt(10_000_000, 100_000_000)}`;
export const newBranchId = (): string => `br-${words()}-${letters(8)}`;
export const newSnapshotId = (): string => `snap-${words()}-${letters(8)}`;
export const newEndpointId = (): string => `ep-${words()}-${letters(8)}`;
export const newOperationId = (): string => randomUUID();
export const newPassword = (): string => `npg_${randomBytes(12).toString('base64url').replace(/[-_]/g, 'x')}`;
export const newApiKey = (): string => `napi_${letters(64)}`;
