/** Tests of the server that do not pass on Citus, with the reason: at most ten. */
export const EXCEPTIONS: readonly { file: string; title: string; reason: string }[] = [
  {
    file: 'server/src/platform/layout.test.ts',
    title:
      'no foreign key has come since that leads from one node to another: a cluster would refuse its migration',
    reason: 'It lists the keys that the layout drops, of a database on which it has been applied.',
  },
  {
    file: 'server/src/platform/layout.test.ts',
    title: 'one PostgreSQL without the extension is left as it is',
    reason: 'It is about a database without Citus.',
  },
  {
    file: 'server/src/positions/adjust-positions.test.ts',
    title: 'a person whose positions were published is not deleted by a cascade, and their events stay',
    reason: 'No foreign key leads from positions to people there; the product deletes nobody.',
  },
]
