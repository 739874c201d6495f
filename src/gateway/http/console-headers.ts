/**
 * What a browser is told with each of the console's files.
 *
 * THREAT: a page that shows what agents and tools wrote is where markup would turn into script. The policy lets the
 * page run, and load, nothing but files of the gateway itself, makes text into markup nowhere, and lets no other page
 * hold this one in a frame, where a click could be stolen.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** The console uses nothing of the device except the clipboard and notifications, where a person asks for them. */
const WITHOUT = [
  "accelerometer",
  "camera",
  "display-capture",
  "geolocation",
  "gyroscope",
  "hid",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "publickey-credentials-get",
  "serial",
  "usb",
];

/** Names in lower case. */
export const CONSOLE_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": WITHOUT.map((feature) => `${feature}=()`).join(", "),
});
