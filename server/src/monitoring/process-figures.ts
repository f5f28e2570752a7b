import type { Finding } from './judge-figures.ts'

const ANSWER_LIMIT_MS = 2000

/**
 * What one process tells of itself at its metrics port, since it started.
 * @param address of the port, as `http://127.0.0.1:9464`
 * @returns one line that needs a look when it does not answer
 */
export async function readProcessFigures(address: string): Promise<Finding[]> {
  try {
    const answer = await fetch(`${address}/metrics`, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) })
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    return describe(await answer.text())
  } catch {
    const stands = `does not answer at ${address}`
    return [{ what: 'Process', stands, alarm: 'TradepostProcessAway' }]
  }
}

function describe(text: string): Finding[] {
  const sum = (series: RegExp) =>
    text
      .split('\n')
      .filter((line) => series.test(line))
      .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
  const requests = sum(/^tradepost_http_request_seconds_count\{/)
  const faults = sum(/^tradepost_http_request_seconds_count\{.*status="5/)
  const waiting = sum(/^tradepost_database_waiting /)
  const tries = sum(/^tradepost_mails_total\{/)
  const sent = sum(/^tradepost_mails_total\{.*outcome="sent"/)
  const calls = (provider: string, outcome = '') =>
    sum(new RegExp(`^tradepost_provider_call_seconds_count\\{provider="${provider}",outcome="${outcome}`))
  const called = (provider: string) => `${calls(provider, 'ok')} of ${calls(provider)} calls succeeded`
  return [
    {
      what: 'Requests of this process',
      stands: `${requests}, ${faults} of them faults`,
      // Of all that it ever answered: whether it fails now, only a monitor knows.
      alarm: null,
    },
    {
      what: 'Its database pool',
      stands: `${sum(/^tradepost_database_connections_in_use /)} of ${sum(/^tradepost_database_pool_size /)} in use, ${waiting} waiting`,
      alarm: waiting > 0 ? 'TradepostPoolFull' : null,
    },
    { what: 'Its tries at mails', stands: `${tries}, ${sent} of them taken`, alarm: null },
    { what: 'Price provider', stands: called('market'), alarm: null },
    { what: 'Stripe', stands: called('payments'), alarm: null },
    { what: 'Open feeds', stands: String(sum(/^tradepost_streams_open /)), alarm: null },
  ]
}
