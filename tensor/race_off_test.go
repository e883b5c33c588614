//go:build !race

package tensor_test

const raceBuild = false
