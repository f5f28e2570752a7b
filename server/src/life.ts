export type Role = 'all' | 'api' | 'worker'

/**
 * How the running parts end. `draining` is aborted some seconds before that; `closers` close them, the last one first; `fail` ends the
 * process at once, with exit code 1.
 */
export type Life = {
  draining: AbortSignal
  closers: { what: string; close(): Promise<unknown> }[]
  fail(error: unknown): Promise<void>
}
