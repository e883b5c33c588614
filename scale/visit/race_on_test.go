//go:build race

package visit_test

// raceDetector: sync.Pool throws some of its content away on purpose then.
const raceDetector = true
