package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// readConfig sets every flag that the file of --config names and the command
// line does not. A key is a flag's name, with - or _; one that no flag of the
// verb has is an error, so that a typing error cannot pass for a setting.
func (a *app) readConfig(cmd *cobra.Command) error {
	if a.config == "" {
		return nil
	}
	text, err := os.ReadFile(a.config)
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	var values map[string]any
	if err := yaml.Unmarshal(text, &values); err != nil {
		return fmt.Errorf("%s: %s", a.config, yaml.FormatError(err, false, true))
	}
	keys := make([]string, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		name := strings.ReplaceAll(key, "_", "-")
		flag := cmd.Flags().Lookup(name)
		if flag == nil || name == "config" {
			return fmt.Errorf("%s: unknown key %q, expected one of: %s", a.config, key, flagNames(cmd))
		}
		if flag.Changed {
			continue
		}
		if err := cmd.Flags().Set(name, fmt.Sprint(values[key])); err != nil {
			return fmt.Errorf("%s: key %q: %w", a.config, key, err)
		}
	}
	return nil
}

func flagNames(cmd *cobra.Command) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "config" && f.Name != "help" {
			names = append(names, f.Name)
		}
	})
	return strings.Join(names, ", ")
}
