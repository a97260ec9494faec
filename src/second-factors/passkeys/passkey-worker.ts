import { parentPort } from 'node:worker_threads';
import {
  type Expectation,
  type NewCredential,
  type PasskeyAnswer,
  type ProvenAnswer,
  type RegistrationAnswer,
  verifyAnswer,
  verifyRegistration,
} from './webauthn';

/** An answer to verify: of an authenticator that has made a passkey, or used one. */
export type VerifyRequest =
  | { registration: RegistrationAnswer; expected: Expectation }
  | {
      answer: PasskeyAnswer;
      /** In base64url. */
      publicKey: string;
      expected: Expectation & { needsVerification: boolean };
    };

/** What an answer proves; undefined for a wrong one. */
export type VerifyAnswer = NewCredential | ProvenAnswer | undefined;

const verify = (request: VerifyRequest): Promise<VerifyAnswer> =>
  'registration' in request
    ? verifyRegistration(request.registration, request.expected)
    : verifyAnswer(request.answer, request.publicKey, request.expected);

parentPort?.on('message', (request: VerifyRequest) => {
  // A rejection ends the thread, and with it the request.
  void verify(request).then((answer) => parentPort?.postMessage(answer));
});
