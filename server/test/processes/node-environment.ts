/**
 * The part of this process's environment that a process of the product under test gets: where programs are; where Node keeps
 * compiled files (`scripts/test.ts`), without which each start compiles every file again; and where each process notes
 * statements for `scripts/record-statements.ts`.
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
