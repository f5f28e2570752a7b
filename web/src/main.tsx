import './styles.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Providers } from './app/providers.tsx'
import { Router } from './app/router.tsx'
import { endEarlyPage } from './lib/early-page.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('The document has no #root')

// Removes the prerendered page; it must not show while a session is being checked.
root.replaceChildren()
if (document.documentElement.classList.contains('booting')) endEarlyPage()
document.documentElement.classList.remove('booting')

createRoot(root).render(
  <StrictMode>
    <Providers>
      <Router />
    </Providers>
  </StrictMode>,
)
