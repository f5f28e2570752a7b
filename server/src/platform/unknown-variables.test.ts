import { expect, test } from 'vitest'
import { unknownVariables } from './unknown-variables.ts'

test('a variable that begins as several of ours, or is one of ours but for case and underscores, is named where nothing reads it', () => {
  const set = [
    'PATH',
    'LOG_DIR',
    'NODE_OPTIONS',
    'STRIPE_KEY',
    'DATABASE_URI',
    'SMTPURL',
    'Mail_From',
    'PORT',
    'STRIPE_SECRET_KEY',
  ]
  expect(unknownVariables(set, [])).toEqual(['STRIPE_KEY', 'DATABASE_URI', 'SMTPURL', 'Mail_From'])
})

test('a variable that .env sets and nothing reads is named, except what compose.yaml reads', () => {
  expect(unknownVariables(['PORT'], ['PORT', 'LOG_DIR', 'DOMAIN', 'POSTGRES_PASSWORD', 'COLOUR'])).toEqual([
    'LOG_DIR',
    'COLOUR',
  ])
})
