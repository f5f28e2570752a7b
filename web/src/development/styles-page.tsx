/*
 * /styles of the development server: every primitive on one page, for people who build screens. web/styles.html loads it; the
 * build knows index.html alone, so the page is not in the product.
 */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Toaster } from '../app/toaster.tsx'
import { VisitorFrame } from '../app/visitor-frame.tsx'
import { BrowserRouter } from '../lib/router.tsx'
import { Primitives } from './primitives.tsx'

const root = document.getElementById('root')
if (root === null) throw new Error('The document has no #root')

createRoot(root).render(
  <StrictMode>
    <BrowserRouter>
      <VisitorFrame>
        <h1 className="text-2xl font-semibold tracking-tight">Styles</h1>
        <Primitives />
      </VisitorFrame>
      <Toaster />
    </BrowserRouter>
  </StrictMode>,
)
