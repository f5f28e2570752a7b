import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from '@playwright/test'
import { freePort } from '../../server/src/dev/free-port.ts'
import { BrowserEnded, type Driver, faultOf } from './engine.ts'

/** The name under which WebDriver hands out an element (W3C WebDriver, section 12). */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
type Element = { [ELEMENT]: string }

/**
 * WebKit as GNOME builds it, by its own WebDriver (W3C, commands over HTTP) on a display of its own. Its clients on npm bring drivers of all
 * browsers for all systems along, for eight commands that one `fetch` sends.
 */
export async function driveWebKit(driverPath: string): Promise<Driver<Element>> {
  const display = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x1000x24'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const children = [display]
  const end = () => {
    for (const child of children) child.kill()
  }
  try {
    const port = await freePort()
    const driver = spawn(driverPath, [`--port=${port}`], {
      stdio: 'ignore',
      env: { ...process.env, DISPLAY: `:${await firstLine(display)}`, GDK_BACKEND: 'x11' },
    })
    children.push(driver)
    return await startSession(driver, port, end)
  } catch (error) {
    end()
    throw error
  }
}

async function startSession(driver: ChildProcess, port: number, end: () => void): Promise<Driver<Element>> {
  const send = async (method: 'POST' | 'DELETE', path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${port}/session${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error) => {
      throw driver.exitCode === null && driver.signalCode === null ? error : new BrowserEnded(String(error))
    })
    const { value } = (await answer.json()) as { value: unknown }
    if (isEnded(value)) throw new BrowserEnded('WebKit has ended its session.')
    if (!answer.ok) throw new Error(`WebKit: ${JSON.stringify(value)}`)
    return value
  }
  const started = await untilAnswered(driver, () =>
    send('POST', '', { capabilities: { alwaysMatch: { pageLoadStrategy: 'none' } } }),
  )
  const session = `/${(started as { sessionId: string }).sessionId}`
  const run = (script: string) => send('POST', `${session}/execute/sync`, { script, args: [] })
  const resize = async (width: number, height: number) =>
    void (await send('POST', `${session}/window/rect`, { width, height }))
  await resize(1280, 900)
  return {
    // A busy machine's window loads its empty page after the first one that it is led to, and stays there: it is led there again, with
    // growing pauses, since each time ends a load that is under way.
    open: async (url) => {
      const go = () => send('POST', `${session}/url`, { url })
      const place = () => run('return location.href').catch(faultOf)
      await go()
      if (url === 'about:blank') return
      await expect
        .poll(async () => ((await place()) === 'about:blank' ? go().then(place) : place()), {
          message: `to leave the empty page for ${url}`,
          intervals: [1000, 3000, 10_000],
        })
        .not.toBe('about:blank')
    },
    back: async () => void (await send('POST', `${session}/back`, {})),
    resize,
    evaluate: run,
    element: async (body) => (await run(body)) as Element | null,
    click: async (element) => void (await send('POST', `${session}/element/${element[ELEMENT]}/click`, {})),
    async type(element, text) {
      const path = `${session}/element/${element[ELEMENT]}`
      await send('POST', `${path}/clear`, {})
      await send('POST', `${path}/value`, { text })
    },
    async close() {
      await send('DELETE', session).catch(() => undefined)
      end()
    },
  }
}

/** Its driver knows the session no more when the browser behind it has crashed (W3C WebDriver, section 6.6). */
function isEnded(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && 'error' in value && value.error === 'invalid session id'
  )
}

async function firstLine(display: ChildProcess): Promise<string> {
  const pipe = display.stdio[3] as NodeJS.ReadableStream
  const ended = once(display, 'close').then(() => {
    throw new Error('Xvfb ended.')
  })
  const [line] = (await Promise.race([once(pipe, 'data'), ended])) as [Buffer]
  ended.catch(() => undefined)
  return line.toString().trim()
}

/** Until it listens, it refuses connections. */
async function untilAnswered<T>(child: ChildProcess, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    if (child.exitCode !== null) throw new Error('The WebDriver of WebKit ended.')
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
