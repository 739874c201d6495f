/** Detectors: they look into results for secrets and personal data, and raise the session by what they find. */
export { createDetectors, type Detectors, type DetectorsOptions } from "./detectors.ts";
