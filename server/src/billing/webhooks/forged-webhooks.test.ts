import { expect, test } from 'vitest'
import { forgeWebhooks } from '../../../test/attacks/forge-webhooks.ts'
import { buildTestApp } from '../../../test/build-test-app.ts'

test('forged, altered, old, future-dated and oversized webhooks, and those of another mode or account, leave no trace', async () => {
  await using testApp = await buildTestApp()
  expect(await forgeWebhooks(testApp, 90)).toMatchObject({ kinds: 30, 'refused with 413': 3 })
})
