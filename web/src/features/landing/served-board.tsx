import { BOARD_ELEMENT_ID } from '@tradepost/contract/landing-board'
import { webPaths } from '@tradepost/contract/web-paths'
import { use, useEffect, useState } from 'react'
import { ProductSample } from './product-sample.tsx'

const PATIENCE_MS = 2000

/** The board that is waited for; a screen that waits is drawn from the beginning each time. */
let asked: Promise<Element | null> | null = null

/**
 * The board, or the sample, as the server has put it into the document of /. The screen waits for it, so that nothing in it moves; where it
 * does not come, it shows the sample.
 */
export function ServedBoard() {
  asked ??= askForBoard()
  const [asking] = useState(asked)
  const board = use(asking)
  useEffect(() => {
    // A later visit shows the one of its time.
    asked = null
  }, [])
  if (board === null) return <ProductSample />
  return <div className="contents" ref={(place) => place?.replaceChildren(board)} />
}

/** As a document: the policy of the page lets no text become elements (rule G-81). */
function askForBoard(): Promise<Element | null> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.open('GET', webPaths.home)
    request.responseType = 'document'
    request.timeout = PATIENCE_MS
    request.onloadend = () => resolve(request.responseXML?.getElementById(BOARD_ELEMENT_ID) ?? null)
    request.send()
  })
}
