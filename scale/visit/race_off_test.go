//go:build !race

package visit_test

const raceDetector = false
