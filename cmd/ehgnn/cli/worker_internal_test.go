package cli

import "testing"

// A worker builds only the command of a small verb, with the name that it has among all commands.
func TestSmallVerbs(t *testing.T) {
	for name, build := range small {
		if have := build(&app{}).Name(); have != name {
			t.Errorf("the verb %q is %q", have, name)
		}
	}
}
