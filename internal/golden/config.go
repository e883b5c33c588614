package golden

import "fmt"

// Config has the options of a call by the names of the reference library. The getters return the
// default if an option is missing or null. They panic if it has another type, because the test then
// misreads the fixture.
type Config map[string]any

// Bool returns the option name as a bool.
func (c Config) Bool(name string, def bool) bool { return option(c, name, def) }

// String returns the option name as a string.
func (c Config) String(name, def string) string { return option(c, name, def) }

// Float returns the option name as a number.
func (c Config) Float(name string, def float64) float64 { return option(c, name, def) }

// Int returns the option name as a whole number.
func (c Config) Int(name string, def int) int {
	v := option(c, name, float64(def))
	if v != float64(int(v)) {
		panic(fmt.Sprintf("golden: option %s is %v, expected a whole number", name, v))
	}
	return int(v)
}

// Floats returns the option name as a list of numbers, or nil if it is missing.
func (c Config) Floats(name string) []float64 {
	var out []float64
	for _, e := range option(c, name, []any(nil)) {
		v, ok := e.(float64)
		if !ok {
			panic(fmt.Sprintf("golden: option %s holds %v, expected a list of numbers", name, e))
		}
		out = append(out, v)
	}
	return out
}

func option[T any](c Config, name string, def T) T {
	raw := c[name]
	if raw == nil {
		return def
	}
	v, ok := raw.(T)
	if !ok {
		panic(fmt.Sprintf("golden: option %s is %v, expected a %T", name, raw, def))
	}
	return v
}
