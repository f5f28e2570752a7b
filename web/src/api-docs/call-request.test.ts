import { expect, test } from 'vitest'
import { type Call, commandLine, requestOf } from './call-request.ts'

const closed: Call = {
  method: 'GET',
  path: '/v1/traders/{username}/positions/{id}/history',
  parameters: [
    { name: 'username', in: 'path', required: true },
    { name: 'sort', in: 'query', required: false },
    { name: 'id', in: 'path', required: true },
    { name: 'symbol', in: 'query', required: false },
  ],
}

test('typed text stands in the path and the query, whatever it contains, and an empty field is left out', () => {
  expect(requestOf(closed, ['a/b?#$&', 'gain', '$1', 'A&B C'], null)).toEqual({
    method: 'GET',
    path: '/v1/traders/a%2Fb%3F%23%24%26/positions/%241/history?sort=gain&symbol=A%26B+C',
    body: null,
  })
  expect(requestOf(closed, ['maria', '', 'x', ''], null).path).toBe('/v1/traders/maria/positions/x/history')
})

test('the command line holds the call for a shell, with quotes that end nothing and no token', () => {
  const request = { method: 'POST', path: '/v1/feedback', body: '{"feedback":"It\'s $HOME `id`"}' }
  expect(commandLine(request, 'https://tradepost.example')).toBe(
    `curl -X POST 'https://tradepost.example/v1/feedback' \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  --data-raw '{"feedback":"It'\\''s $HOME \`id\`"}'`,
  )
  expect(commandLine({ method: 'GET', path: '/v1/feed', body: null }, 'http://x')).toBe(
    `curl -X GET 'http://x/v1/feed' \\\n  -H "Authorization: Bearer $TOKEN"`,
  )
})
