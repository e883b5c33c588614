"""The journal of a sweep, opened by Optuna."""
import unittest

import optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

import serving


class Study(unittest.TestCase):
    def test_importance(self):
        """A sweep with early pruning leaves enough finished trials for Optuna to rank the settings."""
        serving.payments()
        out = serving.FOLDER / "sweep"
        serving.ehgnn("sweep", serving.FOLDER / "payments", "--space", "lr=log:1e-4..1e-1", "--space", "hidden=4..16:4", "--pruner", "asha",
                      "--trials", 16, "--epochs", 9, "--seed", 1, "--quiet", "--out", out)
        storage = JournalStorage(JournalFileBackend(str(out / "study.journal")))
        [summary] = optuna.get_all_study_summaries(storage)
        study = optuna.load_study(study_name=summary.study_name, storage=storage)
        states = [t.state for t in study.trials]
        self.assertEqual(len(states), 16)
        self.assertIn(optuna.trial.TrialState.PRUNED, states)
        for evaluator in optuna.importance.FanovaImportanceEvaluator(seed=1), optuna.importance.PedAnovaImportanceEvaluator():
            importances = optuna.importance.get_param_importances(study, evaluator=evaluator)
            self.assertEqual(set(importances), {"lr", "hidden"})
            self.assertAlmostEqual(sum(importances.values()), 1)


if __name__ == "__main__":
    unittest.main()
