@echo off
rem The command line of Spandeck. It needs Node 22.19 or later as "node" in PATH.
node "%~dp0..\app.asar.unpacked\dist\start-cli.cjs" %*
