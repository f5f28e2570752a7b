import { expect, test } from 'vitest'
import { buildTestApp } from '../../test/build-test-app.ts'
import { call, makeTrader } from '../../test/factories.ts'
import { runOperator } from '../../test/run-operator.ts'
import { takeMails } from '../../test/run-outbox.ts'

test('an operator takes words off a profile with a reason; the trader is mailed both and can write others', async () => {
  await using testApp = await buildTestApp()
  const maria = await makeTrader(testApp, 'maria')
  const write = (about: string) => call(testApp, maria, 'POST', '/v1/accounts/about', { about })
  const shown = async () =>
    (await call(testApp, maria, 'GET', '/v1/accounts/profile?username=maria')).body.about
  await write('All of it will double.')
  await expect(runOperator(testApp, 'about:remove', '@maria')).rejects.toThrow('Say why')
  await expect(runOperator(testApp, 'about:remove', 'nobody', 'Promises.')).rejects.toThrow('Nobody has that')
  expect(await shown()).toBe('All of it will double.')

  expect(await runOperator(testApp, 'about:remove', '@maria', 'It', 'promises', 'gains.')).toBe('Removed.\n')
  expect(await shown()).toBeUndefined()
  expect(await runOperator(testApp, 'about:remove', '@maria', 'Again.')).toBe(
    'Says nothing about themselves.\n',
  )
  testApp.clock.advance(60_000)
  const [mail, ...others] = await takeMails(testApp, ['about_removed'])
  expect(others).toEqual([])
  expect(mail).toMatchObject({
    to: maria.email,
    subject: 'We removed the words about you from your Tradepost profile',
  })
  expect(mail?.text).toContain('\nAll of it will double.\n')
  expect(mail?.text).toContain('for this reason:\n\nIt promises gains.\n')
  const audited = await runOperator(testApp, 'audit', maria.email)
  expect(audited).toContain(`about_removed  ${maria.userId}  -  by operator`)
  expect(audited).not.toContain('double')

  expect((await write('Holds for weeks.')).status).toBe(200)
  expect(await shown()).toBe('Holds for weeks.')
})
