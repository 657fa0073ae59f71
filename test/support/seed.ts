import fc from 'fast-check';

/** The same cases in every run; `npm run fuzz` tries random ones. */
export const seed = 20_260_101;

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
