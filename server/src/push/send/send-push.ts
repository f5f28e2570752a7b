import { activityItemId } from '@tradepost/contract/activity-item'
import type { PushMessage } from '@tradepost/contract/push-worker'
import type { SecretKey } from '../../auth/keys/secret-key.ts'
import type { Clock } from '../../platform/clock.ts'
import { countPush } from '../../platform/metrics.ts'
import { tokenUnder } from '../devices/device-token.ts'
import type { PushKeys } from '../devices/push-keys.ts'
import { judgeAnswer, type Verdict } from './judge-answer.ts'
import type { Ending, LeasedDelivery } from './leases.queries.ts'
import type { PushWire } from './post-message.ts'
import { endOfLife, nextTry } from './retry-schedule.ts'
import { type MessageSealer, topicOf } from './seal-message.ts'
import type { Push } from './sending.queries.ts'

/** Push services answer in a fraction of a second: one that does not holds a place for its trader's others. */
const FIRST_TRY_MS = 3000
const LATER_TRY_MS = 10_000

/** The result of a try; `gone` names the address that its push service does not know any more. */
export type Result = Ending | { gone: { deviceId: string; endpoint: string } }

export type SendDeps = {
  secret: SecretKey
  clock: Clock
  keys: PushKeys
  sealer: MessageSealer
  wire: PushWire
}

/**
 * Sends one message, as far as it goes. Sent twice, because its worker ended between the push service's yes and the record of it,
 * the second takes the place of the first.
 * @param push null when it may not be sent any more
 * @returns the result to record; never rejects
 */
export async function sendPush(deps: SendDeps, message: LeasedDelivery, push: Push | null): Promise<Result> {
  const result = await sendAsFarAsItGoes(deps, message, push)
  countPush('gone' in result ? 'gone' : (result.endedAs ?? 'later'))
  return result
}

async function sendAsFarAsItGoes(
  deps: SendDeps,
  message: LeasedDelivery,
  push: Push | null,
): Promise<Result> {
  if (push === null) return ended(message, 'unneeded', null)
  if (deps.clock.now() >= endOfLife(message.createdAt)) {
    // A message that was tried did not arrive for hours. One that was not tried is no evidence about its device.
    return { ...ended(message, 'given up', null), device: message.tries > 0 ? 'fails' : null }
  }
  const verdict = await send(deps, message, push)
  const now = deps.clock.now()
  switch (verdict.kind) {
    case 'taken':
      return { ...ended(message, 'sent', null), device: 'works' }
    case 'gone':
      return { gone: { deviceId: push.deviceId, endpoint: push.endpoint } }
    case 'refused':
      return { ...ended(message, 'refused', verdict.fault), device: 'fails' }
    case 'later': {
      const failed = { tries: message.tries + 1, waitMs: verdict.waitMs, publishedAt: message.createdAt }
      const dueAt = nextTry(failed, now, Math.random())
      if (dueAt === null) return { ...ended(message, 'given up', verdict.fault), device: 'fails' }
      return { ...keyOf(message), endedAs: null, dueAt, fault: verdict.fault, device: verdict.device }
    }
  }
}

async function send(
  { clock, keys, sealer, secret, wire }: SendDeps,
  { tries }: LeasedDelivery,
  push: Push,
): Promise<Verdict> {
  // Sealed under a secret that this process was not given, or the database is away: later, or elsewhere, it can be opened.
  const key = await keys.find(push.pushKeyId).catch(() => null)
  if (!key) return { kind: 'later', waitMs: 0, fault: 'its key cannot be opened', device: null }
  const now = clock.now()
  const topic = topicOf(push)
  const ttlSeconds = Math.ceil((endOfLife(push.createdAt).getTime() - now.getTime()) / 1000)
  const off = tokenUnder(secret, push.tokenSecretKeyId, push.deviceId)
  try {
    const sealed = sealer.seal(messageOf(push, topic, off), push, { key, topic, ttlSeconds })
    return judgeAnswer(await wire.post(sealed, tries === 0 ? FIRST_TRY_MS : LATER_TRY_MS, now))
  } catch {
    return { kind: 'refused', fault: 'it could not be encrypted' }
  }
}

function messageOf(push: Push, tag: string, off: string | null): PushMessage {
  const { createdAt, eventNo, kind, symbol, trader } = push
  const id = activityItemId(trader, eventNo)
  return { kind, trader, symbol, id, tag, at: createdAt.getTime(), off }
}

function keyOf({ deviceId, eventNo, traderId }: LeasedDelivery) {
  return { traderId, eventNo, deviceId }
}

function ended(
  message: LeasedDelivery,
  endedAs: 'sent' | 'refused' | 'given up' | 'unneeded',
  fault: string | null,
) {
  return { ...keyOf(message), endedAs, dueAt: null, fault, device: null }
}
