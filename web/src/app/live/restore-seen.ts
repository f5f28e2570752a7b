import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { accountEndpoints } from '@tradepost/contract/account-endpoints'
import type { ActivityAnswer } from '@tradepost/contract/activity'
import { activityEndpoints } from '@tradepost/contract/activity-endpoints'
import type { Endpoint } from '@tradepost/contract/endpoint'
import { positionEndpoints } from '@tradepost/contract/position-endpoints'
import { activityKey } from '../../features/activity/activity-keys.ts'
import { storedPerson } from '../../lib/auth-client.ts'
import { readAnswer } from '../../lib/read-answer.ts'
import { KEPT, readSeen } from './seen.ts'

/** The call whose answer is kept, and how the cache of queries holds it. */
type Restoring = { answerOf: Endpoint; toData(answer: unknown): unknown }

const RESTORED: Readonly<Record<keyof typeof KEPT, Restoring>> = {
  account: { answerOf: accountEndpoints.configuration, toData: (account) => account },
  positions: {
    answerOf: positionEndpoints.positions,
    toData: (answer) => (answer as { positions: unknown }).positions,
  },
  activity: {
    answerOf: activityEndpoints.activity,
    toData: (page) => ({ pages: [page], pageParams: [null] }),
  },
}

/**
 * Shows what the person who is signed in saw last, with its age, until something newer comes. A version that reads answers otherwise than
 * the one that kept them leaves out what it cannot read.
 */
export function restoreSeen(client: QueryClient): void {
  const person = storedPerson()
  const seen = person === null ? null : readSeen(person)
  for (const [name, { answerOf, toData }] of Object.entries(RESTORED)) {
    const kept = seen?.answers?.[name]
    if (!kept) continue
    // It may be of an older version than this page.
    const answer = readAnswer(answerOf.answer, kept.answer, () => undefined)
    if (answer === null) continue
    restore(client, KEPT[name as keyof typeof KEPT].queryKey, toData(answer), kept.at)
    if (name === 'activity') restoreItem(client, answer as ActivityAnswer, kept.at)
  }
}

/** A mail leads to one item, which may be among those that were seen. */
function restoreItem(client: QueryClient, page: ActivityAnswer, at: number): void {
  const item = new URLSearchParams(location.search).get('item')
  if (item !== null && page.items.some(({ id }) => id.toLowerCase() === item.toLowerCase()))
    restore(client, activityKey(item), { pages: [page], pageParams: [null] }, at)
}

function restore(client: QueryClient, queryKey: QueryKey, data: unknown, updatedAt: number): void {
  if (client.getQueryData(queryKey) !== undefined) return
  // Kept, however long it takes until somebody looks at it.
  client.setQueryDefaults(queryKey, { gcTime: Number.POSITIVE_INFINITY })
  client.setQueryData(queryKey, data, { updatedAt })
  void client.invalidateQueries({ queryKey, exact: true, refetchType: 'none' })
}
