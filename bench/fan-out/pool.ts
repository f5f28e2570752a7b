/** A peer: a pool that builds each mail, with no queue and no record of sent mails. */
import { contend } from './contender.ts'
import { makePool, send } from './send.ts'

contend(async (task) => {
  const pool = makePool(task)
  await Promise.all(Array.from({ length: task.mails }, (_, index) => send(pool, index)))
  pool.close()
})
