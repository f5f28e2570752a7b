/**
 * Asks another witness all calls of witness-calls.ts, and writes its answers into witness.json. docs/tried-outside.md says how that one runs.
 * Usage: node record/test-vectors/witness-vectors.ts http://localhost:7380
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CALLS } from './witness-calls.ts'

const [address] = process.argv.slice(2)
const answers = []
for (const { name, body } of CALLS) {
  const answer = await fetch(`${address}/add-checkpoint`, { method: 'POST', body })
  answers.push({
    name,
    status: answer.status,
    type: answer.headers.get('content-type'),
    body: await answer.text(),
  })
}
writeFileSync(join(import.meta.dirname, 'witness.json'), `${JSON.stringify(answers, null, 2)}\n`)
