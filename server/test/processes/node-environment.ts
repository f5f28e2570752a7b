/**
 * What a process of the product under test is given of this one's environment: where programs are, and where what Node
 * has compiled is kept (`scripts/test.ts`), without which each start compiles every file again; and what
 * `scripts/record-statements.ts` has every process note.
 */
export const nodeEnvironment = {
  PATH: process.env.PATH ?? '',
  ...given('NODE_COMPILE_CACHE'),
  ...(process.env.STATEMENTS_FOLDER ? { ...given('STATEMENTS_FOLDER'), ...given('NODE_OPTIONS') } : {}),
}

function given(name: string): Record<string, string> {
  const value = process.env[name]
  return value ? { [name]: value } : {}
}
