import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { toast } from 'react-hot-toast/headless'
import { afterEach, expect, test, vi } from 'vitest'
import { ShareButton } from './share-button.tsx'

const url = new URL('/trader/maria', location.href).href

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
  for (const name of ['share', 'clipboard']) Reflect.deleteProperty(navigator, name)
})

function give(part: object): void {
  for (const [name, value] of Object.entries(part))
    Object.defineProperty(navigator, name, { value, configurable: true })
}

function press(isPublic = false): void {
  render(<ShareButton username="maria" isPublic={isPublic} />)
  fireEvent.click(screen.getByRole('button', { name: 'Share this profile' }))
}

test('where the system can share, it is handed the address of the profile, and nothing is copied', async () => {
  const [share, writeText] = [vi.fn(async () => undefined), vi.fn(async () => undefined)]
  give({ share, clipboard: { writeText } })
  press()
  await waitFor(() => expect(share).toHaveBeenCalledWith({ title: '@maria on Tradepost', url }))
  expect(writeText).not.toHaveBeenCalled()
})

test('elsewhere the address is copied, and a toast confirms it', async () => {
  const writeText = vi.fn(async () => undefined)
  const shown = vi.spyOn(toast, 'success')
  give({ clipboard: { writeText } })
  press()
  await waitFor(() => expect(shown).toHaveBeenCalledWith('Link copied', { duration: 3000 }))
  expect(writeText).toHaveBeenCalledWith(url)
})

test('a share sheet that is closed is no failure, and a clipboard that refuses is one', async () => {
  const failed = vi.spyOn(toast, 'error')
  const share = vi.fn(async () => {
    throw new DOMException('closed', 'AbortError')
  })
  give({ share })
  press()
  await waitFor(() => expect(share).toHaveBeenCalled())
  cleanup()
  Reflect.deleteProperty(navigator, 'share')
  give({
    clipboard: {
      writeText: async () => {
        throw new DOMException('no', 'NotAllowedError')
      },
    },
  })
  press()
  await waitFor(() => expect(failed).toHaveBeenCalledWith(`The link could not be shared. It is ${url}`))
  expect(failed).toHaveBeenCalledTimes(1)
})

test('where the public page is on, its address is shared', async () => {
  const writeText = vi.fn(async () => undefined)
  give({ clipboard: { writeText } })
  press(true)
  await waitFor(() => expect(writeText).toHaveBeenCalledWith(new URL('/t/maria', location.href).href))
})

test('a trader whose public page is off is offered to turn it on', () => {
  const offer = () => screen.queryByRole('link', { name: 'Turn on your public page' })?.getAttribute('href')
  const { rerender } = render(<ShareButton username="maria" isPublic={false} offersPage />)
  expect(offer()).toBe('/account#profile')
  rerender(<ShareButton username="maria" isPublic offersPage />)
  expect(offer()).toBeUndefined()
  rerender(<ShareButton username="maria" isPublic={false} />)
  expect(offer()).toBeUndefined()
})
