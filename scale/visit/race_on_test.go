//go:build race

package visit_test

// raceDetector is true because sync.Pool then drops some of its content on purpose.
const raceDetector = true
