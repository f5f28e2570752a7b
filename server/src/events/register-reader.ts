import { type Queryable, withTransaction } from '../platform/database.ts'
import type { EventReader } from './event-reader.ts'
import {
  backfillOne,
  insertBackfills,
  insertReader,
  isRegistered,
  lockEvents,
  setFollowersOnly,
} from './readers.queries.ts'

/**
 * Has work written for a reader from now on, and for one that begins with the first event all of those from before, trader
 * by trader. Safe to repeat and to run by many at once; one that was cut off goes on.
 */
export async function registerReader(
  db: Queryable,
  reader: Pick<EventReader, 'name' | 'from' | 'followersOnly'>,
  now: Date,
): Promise<void> {
  if (!(await isRegistered(db, reader.name))) {
    await withTransaction(db, async (tx) => {
      await lockEvents(tx)
      const isNew = await insertReader(tx, reader.name, now)
      if (isNew && reader.from === 'the first event') await insertBackfills(tx, reader.name)
    })
  }
  await setFollowersOnly(db, reader.name, reader.followersOnly === true)
  while (await backfillOne(db, reader.name));
}
