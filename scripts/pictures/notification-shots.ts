import type { Page } from '@playwright/test'
import type { PushAnswer, PushDevice } from '../../contract/src/push.ts'
import type { Shot } from './shots.ts'

const HERE: PushDevice = {
  id: '019aa1c2-8c11-7f0e-9d21-6a0b4c3d2e1f',
  current: true,
  device: 'Chrome on Windows',
  since: '2026-11-18T15:00:00.000Z',
  failingSince: null,
}
const PHONE: PushDevice = {
  ...HERE,
  id: '019aa1c2-8c11-7f0e-9d21-6a0b4c3d2e20',
  current: false,
  device: 'Chrome on Android',
}
const OLD: PushDevice = {
  ...PHONE,
  id: '019aa1c2-8c11-7f0e-9d21-6a0b4c3d2e21',
  device: 'Firefox on Linux',
  failingSince: '2026-11-18T15:31:00.000Z',
}
const TRADERS = ['maria', 'jonas', 'the-long-name-1'].map((username, at) => ({
  id: `019aa1c2-6d1f-7c3e-9a55-2f0f4f1f7a1${at}`,
  username,
  pushEnabled: at !== 1,
}))

/** The card as a browser has it that answers so. @param push over what nobody has turned on */
async function stateOf(
  page: Page,
  here: { permission: NotificationPermission; subscribed?: boolean; without?: string },
  push: Partial<PushAnswer>,
): Promise<void> {
  await page.addInitScript(({ permission, subscribed, without }) => {
    Object.defineProperty(Notification, 'permission', { get: () => permission })
    if (without) Reflect.deleteProperty(window, without)
    if (!subscribed) return
    const registration = { pushManager: { getSubscription: async () => ({}) } }
    Object.assign(ServiceWorkerContainer.prototype, { getRegistration: async () => registration })
  }, here)
  const json: PushAnswer = { publicKey: 'x'.repeat(87), devices: [], traders: TRADERS, ...push }
  await page.route('**/v1/push', (route) => route.fulfill({ json }))
  await page.reload({ waitUntil: 'networkidle' })
  await page.locator('#notifications').evaluate((card) => card.scrollIntoView())
}

const shot = (state: string, act: (page: Page) => Promise<void>): Shot => ({
  name: `notifications-${state}`,
  as: 'follower',
  path: '/account',
  window: true,
  act,
})

export const notificationShots: readonly Shot[] = [
  shot('unsupported', (page) => stateOf(page, { permission: 'default', without: 'PushManager' }, {})),
  shot('denied', (page) => stateOf(page, { permission: 'denied' }, {})),
  shot('off', (page) => stateOf(page, { permission: 'default' }, { devices: [PHONE] })),
  shot('on', (page) =>
    stateOf(page, { permission: 'granted', subscribed: true }, { devices: [HERE, PHONE, OLD] }),
  ),
  shot('failing', (page) => {
    const failing = { ...HERE, failingSince: '2026-11-18T15:31:00.000Z' }
    return stateOf(page, { permission: 'granted', subscribed: true }, { devices: [failing] })
  }),
]
