//go:build !ehgnndebug

package tensor_test

const debugBuild = false
