package cli

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ehgnn/ehgnn/internal/lists"
	"github.com/ehgnn/ehgnn/internal/plainyaml"
	"github.com/ehgnn/ehgnn/internal/session"
)

// readConfig sets every flag that the file of --config names and the command line does not. A key
// is the name of a flag, written with - or _. A key that is not a flag of the command is an error,
// because it may be misspelt.
func (a *app) readConfig(cmd *cobra.Command) error {
	if a.config == "" {
		return nil
	}
	text, err := plainyaml.ReadFile(a.config)
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	if r, ok, err := session.ReadConfig(filepath.Dir(a.config), text); ok {
		if err != nil {
			return fmt.Errorf("%s: %w", a.config, err)
		}
		if cmd.Name() != "train" {
			return fmt.Errorf("%s holds the settings of a run, which ehgnn train takes and ehgnn %s does not", a.config, cmd.Name())
		}
		a.repeat = &r
		return nil
	}
	var values map[string]any
	if err := plainyaml.Unmarshal(text, &values); err != nil {
		return fmt.Errorf("%s: %w", a.config, err)
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		name := strings.ReplaceAll(key, "_", "-")
		flag := cmd.Flags().Lookup(name)
		if flag == nil || name == "config" || name == "help" {
			return fmt.Errorf("%s: unknown key %q, expected one of: %s", a.config, key, flagNames(cmd))
		}
		if flag.Changed {
			continue
		}
		if values[key] == nil {
			return fmt.Errorf("%s: key %q has no value", a.config, key)
		}
		texts := []string{flagText(values[key])}
		if list, ok := values[key].([]any); ok && flag.Value.Type() == "stringArray" { // items may contain commas
			texts = lists.Map(list, func(item any) string { return fmt.Sprint(item) })
		}
		for _, text := range texts {
			if err := cmd.Flags().Set(name, text); err != nil {
				return fmt.Errorf("%s: key %q: %w", a.config, key, flagError(err))
			}
		}
	}
	return nil
}

// flagText formats a YAML value for a flag; items of a list are separated by commas.
func flagText(v any) string {
	if list, ok := v.([]any); ok {
		return strings.Join(lists.Map(list, func(item any) string { return fmt.Sprint(item) }), ",")
	}
	return fmt.Sprint(v)
}

// flagError says which values a flag accepts, after an invalid value.
func flagError(err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return err
	}
	expected, ok := map[string]string{
		"int": "a whole number", "uint64": "a whole number, 0 or more", "intSlice": "whole numbers with commas between",
		"float64": "a number", "bool": "true or false",
	}[bad.GetFlag().Value.Type()]
	if !ok {
		return err
	}
	return fmt.Errorf("--%s is %q, expected %s", bad.GetFlag().Name, bad.GetValue(), expected)
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
