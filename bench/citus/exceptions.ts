/** Tests of the server that do not pass on Citus, with the reason: at most ten. */
export const EXCEPTIONS: readonly { file: string; title: string; reason: string }[] = []
