import type { ActivityAnswer } from '@tradepost/contract/activity'
import { expect } from 'vitest'
import type { TestApp } from './build-test-app.ts'
import { call } from './factories.ts'
import type { SignedIn } from './sign-in/sign-in.ts'

/** A page of somebody's Activity. */
export async function readActivity(testApp: TestApp, who: SignedIn, query = ''): Promise<ActivityAnswer> {
  const { status, body } = await call(testApp, who, 'GET', `/v1/activity${query}`)
  expect({ status, ...body }).toMatchObject({ status: 200 })
  return body as unknown as ActivityAnswer
}

/** Newest first: `opened AAPL`. */
export const inShort = ({ items }: ActivityAnswer) => items.map(({ kind, symbol }) => `${kind} ${symbol}`)

export async function countUnread(testApp: TestApp, who: SignedIn): Promise<unknown> {
  return (await call(testApp, who, 'GET', '/v1/activity/unread')).body.unread
}

/** @param seen as a page gave it */
export async function markRead(testApp: TestApp, who: SignedIn, seen: string | null): Promise<unknown> {
  const { status, body } = await call(testApp, who, 'POST', '/v1/activity/read', { seen })
  expect({ status, ...body }).toMatchObject({ status: 200 })
  return body.unread
}
