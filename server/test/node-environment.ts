/**
 * What a process of the product under test is given of this one's environment: where programs are, and where what Node
 * has compiled is kept (`scripts/test.ts`), without which each start compiles every file again.
 */
export const nodeEnvironment: { PATH: string; NODE_COMPILE_CACHE?: string } = {
  PATH: process.env.PATH ?? '',
  ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
}
