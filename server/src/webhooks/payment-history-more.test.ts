import { afterAll, test, vi } from 'vitest'
import { playHistories } from '../../test/payment-history.ts'
import { openWebhookRoom } from '../../test/webhook-room.ts'

vi.setConfig({ testTimeout: 300_000 })
const room = await openWebhookRoom({ webhooks: false })
afterAll(() => room[Symbol.asyncDispose]())

test('SUB-18: however histories 13 to 24 are told, in the end it stands here as if each was told in order', () =>
  playHistories(room, 13, 24))
