/** Tests of the server that do not pass on Citus, with the reason: at most ten. */
export const EXCEPTIONS: readonly { file: string; title: string; reason: string }[] = [
  {
    file: 'server/src/platform/distribution/distributed-tables.test.ts',
    title:
      'no foreign key has come since that leads from one node to another: a cluster would refuse its migration',
    reason: 'It lists the keys that the layout drops, of a database on which it has been applied.',
  },
  {
    file: 'server/src/platform/distribution/distributed-tables.test.ts',
    title: 'one PostgreSQL without the extension is left as it is',
    reason: 'It is about a database without Citus.',
  },
  {
    file: 'server/src/platform/upgrade/migrate.test.ts',
    title: 'the types of the tables are those of the migrations',
    reason: 'The tables of Citus itself are among them.',
  },
  {
    file: 'server/src/platform/upgrade/previous-release.test.ts',
    title: 'every migration leaves what the previous release reads and writes',
    reason: 'It compares a schema on which the layout is applied with one on which it is not.',
  },
  {
    file: 'server/src/platform/upgrade/previous-release.test.ts',
    title: 'a migration that takes something away is told from one that adds',
    reason: 'It compares a schema on which the layout is applied with one on which it is not.',
  },
  {
    file: 'server/src/positions/correct/adjust-positions.test.ts',
    title: 'a person whose positions were published is not deleted by a cascade, and their events stay',
    reason: 'No foreign key leads from positions to people there; the product deletes nobody.',
  },
  {
    file: 'server/src/backup/backup.test.ts',
    title: 'a backup that fails, or is interrupted, leaves no file behind',
    reason: 'A backup refuses a cluster before it could fail.',
  },
  {
    file: 'server/src/backup/backup.test.ts',
    title: 'a program that is missing or too old is named, with what to install',
    reason: 'A backup refuses a cluster before it looks for programs.',
  },
]
