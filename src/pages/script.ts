import { hash } from 'node:crypto';

/**
 * The script of pages with passkeys. It shows the forms with `data-passkey`, asks the browser for what they describe, and sends its answer in
 * their fields. It encodes by itself: not all browsers have `parseCreationOptionsFromJSON`, and not all extensions `toJSON`.
 */
export const SCRIPT = `'use strict';
(() => {
  const toBytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (byte) => byte.charCodeAt(0));
  const toText = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\\+/g, '-').replace(/\\//g, '_').replace(/=+$/, '');
  const withBytes = (list = []) => list.map((credential) => ({ ...credential, id: toBytes(credential.id) }));
  for (const note of document.querySelectorAll('[data-passkey-note]')) {
    if (window.PublicKeyCredential) note.hidden = true;
    else note.textContent = note.dataset.passkeyNote;
  }
  if (!window.PublicKeyCredential) return;
  let waiting;
  for (const form of document.querySelectorAll('form[data-passkey]')) {
    const options = JSON.parse(form.dataset.passkey);
    const publicKey = { ...options, challenge: toBytes(options.challenge) };
    if (options.user) {
      publicKey.user = { ...options.user, id: toBytes(options.user.id) };
      publicKey.excludeCredentials = withBytes(options.excludeCredentials);
    } else publicKey.allowCredentials = withBytes(options.allowCredentials);
    const ask = (more) => navigator.credentials[options.user ? 'create' : 'get']({ publicKey, ...more });
    const send = ({ id, response }) => {
      const answer = {
        credentialId: id,
        clientData: toText(response.clientDataJSON),
        attestation: response.attestationObject && toText(response.attestationObject),
        authenticatorData: response.authenticatorData && toText(response.authenticatorData),
        signature: response.signature && toText(response.signature),
        userHandle: response.userHandle && toText(response.userHandle),
        transports: response.getTransports && response.getTransports().join(),
      };
      for (const [name, value] of Object.entries(answer)) {
        const input = form.elements.namedItem(name);
        if (input) input.value = value || '';
      }
      form.submit();
    };
    const showError = (name) => {
      const errors = [...form.querySelectorAll('[data-error]')];
      const shown = errors.find((element) => element.dataset.error === name) || errors[0];
      for (const element of errors) element.hidden = element !== shown;
    };
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (waiting) waiting.abort();
      ask({}).then(send, (error) => showError(error.name));
    });
    form.hidden = false;
    if (form.dataset.autofill === undefined || !PublicKeyCredential.isConditionalMediationAvailable) continue;
    PublicKeyCredential.isConditionalMediationAvailable().then((isAvailable) => {
      if (!isAvailable) return;
      waiting = new AbortController();
      ask({ mediation: 'conditional', signal: waiting.signal }).then(send, () => undefined);
    });
  }
})();
`;

const VERSION = hash('sha256', SCRIPT).slice(0, 12);

/** The path of the script, which changes with it, so that browsers can keep it forever. */
export const SCRIPT_PATH = `pages/passkeys-${VERSION}.js`;
